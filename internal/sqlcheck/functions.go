package sqlcheck

import "strings"

// words makes a set of the words in a text.
func words(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// litePragmasAbout tell something about the table, index or database that is
// their value.
var litePragmasAbout = []string{
	"collation_list", "compile_options", "database_list", "foreign_key_list", "function_list", "index_info", "index_list",
	"index_xinfo", "module_list", "pragma_list", "table_info", "table_list", "table_xinfo",
}

// litePragmas tell a setting or a number if they are given no value.
var litePragmas = []string{
	"application_id", "auto_vacuum", "busy_timeout", "cache_size", "data_version", "encoding", "foreign_key_check", "foreign_keys",
	"freelist_count", "integrity_check", "journal_mode", "page_count", "page_size", "query_only", "quick_check", "read_uncommitted",
	"recursive_triggers", "schema_version", "synchronous", "temp_store", "user_version",
}

// liteFunctions are the functions of SQLite that only compute: its core, date,
// mathematical, aggregate, window and JSON functions without those that load
// code, and the table-valued ones that come with it.
var liteFunctions = words(`
	abs acos acosh asin asinh atan atan2 atanh avg ceil ceiling changes char coalesce concat concat_ws cos cosh count cume_dist
	date datetime degrees dense_rank exp first_value floor format glob group_concat hex ifnull iif if instr json json_array
	json_array_length json_each json_error_position json_extract json_group_array json_group_object json_insert json_object
	json_patch json_pretty json_quote json_remove json_replace json_set json_tree json_type json_valid jsonb jsonb_array
	jsonb_extract jsonb_group_array jsonb_group_object jsonb_insert jsonb_object jsonb_patch jsonb_remove jsonb_replace
	jsonb_set julianday lag last_insert_rowid last_value lead length like likelihood likely ln log log10 log2 lower ltrim max
	median min mod nth_value ntile nullif octet_length percent_rank percentile percentile_cont percentile_disc pi pow power
	printf quote radians random randomblob rank replace round row_number rtrim sign sin sinh soundex sqlite_source_id
	sqlite_version sqrt strftime string_agg subtype substr substring sum tan tanh time timediff total total_changes trim trunc
	typeof unhex unicode unistr unistr_quote unixepoch unlikely upper zeroblob`)

// liteModules are virtual tables that shells and extensions of SQLite offer
// without being asked, and that lead out of the database.
var liteModules = words(`completion csv fsdir sqlite_dbpage vsv zipfile`)

// pgFunctions are functions of PostgreSQL that only compute, or tell something
// that any statement may read. Left out is all that runs SQL from a text
// (query_to_xml, ts_stat, ts_rewrite), reads or writes files and large objects,
// sends, sleeps, locks, takes numbers from sequences or changes settings.
var pgFunctions = words(`
	abs acos acosd acosh age any_value array_agg array_append array_cat array_dims array_fill array_length array_lower
	array_ndims array_position array_positions array_prepend array_remove array_replace array_to_json array_to_string
	array_to_tsvector array_upper ascii asin asind asinh atan atan2 atan2d atand atanh avg bit_and bit_count bit_length bit_or
	bit_xor bool_and bool_or broadcast btrim cardinality cbrt ceil ceiling char_length character_length chr clock_timestamp
	concat concat_ws convert convert_from convert_to corr cos cosd cosh cot cotd count covar_pop covar_samp cume_dist
	current_database current_query current_schema current_schemas current_setting date date_bin date_part date_trunc decode
	degrees dense_rank div encode enum_first enum_last enum_range every exp extract factorial family first_value floor
	format format_type gcd generate_series generate_subscripts gen_random_uuid get_bit get_byte greatest
	has_any_column_privilege has_column_privilege has_database_privilege has_function_privilege has_schema_privilege
	has_sequence_privilege has_table_privilege height host hostmask initcap is_normalized isfinite isempty json_agg json_array_elements
	json_array_elements_text json_array_length json_build_array json_build_object json_each json_each_text
	json_extract_path json_extract_path_text json_object json_object_agg json_object_keys json_populate_record
	json_populate_recordset json_strip_nulls json_to_record json_to_recordset json_typeof jsonb_agg jsonb_array_elements
	jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each jsonb_each_text
	jsonb_extract_path jsonb_extract_path_text jsonb_insert jsonb_object jsonb_object_agg jsonb_object_keys jsonb_path_exists
	jsonb_path_match jsonb_path_query jsonb_path_query_array jsonb_path_query_first jsonb_populate_record
	jsonb_populate_recordset jsonb_pretty jsonb_set jsonb_set_lax jsonb_strip_nulls jsonb_to_record jsonb_to_recordset
	jsonb_typeof justify_days justify_hours justify_interval lag last_value lcm lead left length like ln log log10 lower
	lower_inc lower_inf lpad ltrim make_date make_interval make_time make_timestamp make_timestamptz masklen max md5 min
	min_scale mod mode network normalize now nth_value ntile numnode obj_description octet_length overlay overlaps parse_ident
	percent_rank percentile_cont percentile_disc pg_backend_pid pg_client_encoding pg_collation_for pg_column_size
	pg_current_snapshot pg_database_size pg_encoding_to_char pg_get_constraintdef pg_get_expr pg_get_functiondef
	pg_get_function_arguments pg_get_function_result pg_get_indexdef pg_get_keywords pg_get_ruledef
	pg_get_serial_sequence pg_get_triggerdef pg_get_userbyid pg_get_viewdef pg_indexes_size pg_is_in_recovery
	pg_postmaster_start_time pg_relation_size pg_size_bytes pg_size_pretty pg_table_is_visible pg_table_size
	pg_total_relation_size pg_typeof phraseto_tsquery pi plainto_tsquery position power quote_ident quote_literal
	quote_nullable radians random range_agg range_merge rank regexp_count regexp_instr regexp_like regexp_match
	regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table regexp_substr regr_avgx regr_avgy regr_count
	regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy repeat replace reverse right round row_number row_to_json
	rpad rtrim scale setweight sha224 sha256 sha384 sha512 shobj_description sign similar_to_escape sin sind sinh split_part sqrt
	starts_with statement_timestamp stddev stddev_pop stddev_samp string_agg string_to_array string_to_table strip strpos
	substr substring sum tan tand tanh text timeofday timezone to_ascii to_bin to_char to_date to_hex to_json to_jsonb to_number
	to_oct to_regclass to_regnamespace to_regproc to_regprocedure to_regrole to_regtype to_timestamp to_tsquery to_tsvector
	transaction_timestamp translate trim trim_array trim_scale trunc ts_delete ts_filter ts_headline ts_rank ts_rank_cd
	tsvector_to_array unicode_version unistr unnest upper upper_inc upper_inf var_pop var_samp variance version
	websearch_to_tsquery width_bucket xmlagg xpath xpath_exists`)

// pgNodes are the parts of queries and definitions that do nothing beyond what
// their members show. A part that is not here is not known.
var pgNodes = words(`
	AccessPriv A_ArrayExpr A_Const A_Expr A_Indices A_Indirection A_Star Alias AlterTableCmd BitString BoolExpr Boolean BooleanTest
	CTECycleClause CTESearchClause CaseExpr CaseWhen CoalesceExpr CollateClause ColumnDef ColumnRef CommonTableExpr
	Constraint CurrentOfExpr DefElem Float FuncCall GroupingFunc GroupingSet IndexElem InferClause Integer IntoClause
	JoinExpr JsonArgument JsonArrayAgg JsonArrayConstructor JsonArrayQueryConstructor JsonFormat JsonFuncExpr JsonIsPredicate
	JsonKeyValue JsonObjectAgg JsonObjectConstructor JsonOutput JsonParseExpr JsonReturning JsonScalarExpr
	JsonSerializeExpr JsonTable JsonTableColumn JsonTablePathSpec JsonValueExpr List LockingClause MergeWhenClause
	MinMaxExpr MultiAssignRef NamedArgExpr NullTest OnConflictClause ParamRef RangeFunction RangeSubselect
	RangeTableFunc RangeTableFuncCol RangeTableSample RangeVar ResTarget RoleSpec RowExpr SQLValueFunction SelectStmt SetToDefault
	SortBy String SubLink TableLikeClause TypeCast TypeName VacuumRelation WindowDef WithClause XmlExpr XmlSerialize`)
