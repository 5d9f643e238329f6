package evidence

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/toolcall"
)

// passwordOptions are the options of programs that take a password, as their manuals
// have them. One letter means something else to the next program (ssh -p is a port),
// so that the program has to stand before it.
var passwordOptions = []struct {
	programs string
	word     string // that has to stand before the option, too; "" for none
	options  string
	behind   string // the password stands behind this in the value; "" for all of it
	attached bool   // the value is a part of the word and never the next one: -pSECRET
	cluster  bool   // letters of others may stand in front: curl -sSu ann:SECRET
}{
	{"curl", "", "-u --user -U --proxy-user -E --cert --proxy-cert", ":", false, true},
	{"curl", "", "--oauth2-bearer --pass --proxy-pass", "", false, false},
	{"http https", "", "-a --auth", ":", false, false},
	{"mysql mysqldump mysqladmin mysqlimport mysqlcheck mysqlshow mysqlsh mariadb mariadb-dump mariadb-admin mycli", "", "-p", "", true, false},
	{"7z 7za 7zz 7zr rar unrar", "", "-p", "", true, false},
	{"sshpass mongo mongosh mongodump mongorestore mongoexport mongoimport cqlsh rabbitmqadmin", "", "-p", "", false, false},
	{"docker podman nerdctl buildah skopeo crane oras helm az", "login", "-p", "", false, false},
	{"redis-cli", "", "-a --pass", "", false, false},
	{"sqlcmd bcp osql ipmitool zip unzip", "", "-P", "", false, true},
	{"ldapsearch ldapadd ldapmodify ldapdelete ldappasswd ldapwhoami", "", "-w", "", false, true},
	{"smbclient rpcclient", "", "-U --user", "%", false, false},
	{"lftp", "", "-u --user", ",", false, false},
	{"snmpget snmpset snmpwalk snmpbulkwalk", "", "-A -X", "", false, false},
	{"openssl", "", "-pass -passin -passout", "pass:", false, false},
	{"openssl", "", "-k", "", false, false},
	{"keytool", "", "-storepass -keypass", "", false, false},
}

// noPassword are words that stand behind an option where people write about it.
const noPassword = "a an and as flag for from in instead is of on option or prompt the to value via with"

// commandWord finds the words of a line: what ends a command ends a word.
var commandWord = regexp.MustCompile(`[^\s;|&]+`)

// maskOptions masks the passwords that are options of a command, wherever in a text
// the command stands.
func maskOptions(s string) string {
	if !strings.Contains(s, "-") {
		return s
	}
	var b strings.Builder
	var c command
	kept, end := 0, 0
	for _, at := range commandWord.FindAllStringIndex(s, -1) {
		gap := s[end:at[0]]
		if strings.ContainsAny(gap, ";|&") || strings.Contains(gap, "\n") && !strings.HasSuffix(s[:end], `\`) {
			c = command{}
		}
		end = at[1]
		word := s[at[0]:end]
		if from, to := c.next(word); from < to {
			b.WriteString(s[kept:at[0]+from] + mask("password"))
			kept = at[0] + to
		}
	}
	return b.String() + s[kept:]
}

// redactList is Redact for a list, which may be the words of a command.
func redactList(v toolcall.Value) (toolcall.Value, bool) {
	var c command
	return eachElement(v, func(e toolcall.Value) (toolcall.Value, bool) {
		if e.Kind() != toolcall.String {
			return Redact(e)
		}
		text := e.Text()
		from, to := c.next(text)
		if from < to {
			text = text[:from] + mask("password") + text[to:]
		}
		text = maskSecrets(text)
		return toolcall.StringOf(text), text != e.Text()
	})
}

// command is what has been read of a command.
type command struct {
	words  []string
	waits  bool   // the next word is the value of an option
	behind string // what the password stands behind in it
	opaque bool   // it is none unless it looks like one
}

// next takes the next word, and returns where in it a password stands: from < to if
// there is one.
func (c *command) next(text string) (from, to int) {
	if c.waits {
		c.waits = false
		return c.password(text, len(text)-len(strings.TrimLeft(text, "\"'\\")))
	}
	lead := len(text) - len(strings.TrimLeft(text, "\"'`([{\\"))
	word := text[lead:]
	if strings.HasPrefix(word, "-") {
		if at := c.option(strings.TrimRight(word, "\"'`)]},")); at > 0 {
			at += lead
			return c.password(text, at+len(text[at:])-len(strings.TrimLeft(text[at:], "\"'\\")))
		}
		return 0, 0
	}
	word = strings.TrimRight(word, "\"'`)]},")
	c.words = append(c.words, path.Base(word[strings.LastIndexAny(word, "\"'`(")+1:]))
	return 0, 0
}

// option says where in an option its password starts. 0 is nowhere: there is none,
// or it is the next word.
func (c *command) option(word string) (at int) {
	name, _, valued := strings.Cut(word, "=")
	for _, row := range passwordOptions {
		if !c.runs(row.programs) || row.word != "" && !slices.Contains(c.words, row.word) {
			continue
		}
		c.behind, c.opaque = row.behind, false
		for _, o := range strings.Fields(row.options) {
			switch {
			case word == o, row.cluster && len(o) == 2 && letters.MatchString(word) && strings.HasSuffix(word, o[1:]):
				c.waits = !row.attached
				return 0
			case valued && name == o:
				return len(name) + 1
			case len(o) == 2 && strings.HasPrefix(word, o):
				return len(o)
			}
		}
	}
	if longOption.MatchString(word) && secretName(word) {
		c.waits, c.behind, c.opaque = true, "", !passwordName.MatchString(word)
	}
	return 0
}

var (
	letters = regexp.MustCompile(`^-[A-Za-z]{2,6}$`)
	ports   = regexp.MustCompile(`^\d+:\d+$`) // as docker run -p has them, be it of an image that is called like a program
)

// Options that any program may have. What is called a password is one; a token or a
// secret may be the name of one.
var (
	longOption   = regexp.MustCompile(`^--?[A-Za-z][A-Za-z0-9_.-]+$`)
	passwordName = regexp.MustCompile(`(?i)(password|passwd|pwd|passphrase|passcode)$`)
)

func (c *command) runs(programs string) bool {
	return slices.ContainsFunc(strings.Fields(programs), func(p string) bool { return slices.Contains(c.words, p) })
}

// password returns where in the rest of a word the password stands, if it can be
// nothing else: no option, path, address, or word of a sentence.
func (c *command) password(text string, at int) (from, to int) {
	behind := strings.Index(text[at:], c.behind)
	if behind < 0 {
		return 0, 0
	}
	from = at + behind + len(c.behind)
	for to = from; to < len(text) && inValue(text[to]); to++ {
	}
	value := text[from:to]
	switch {
	case value == "", value[0] == '-', ports.MatchString(value), strings.Contains(value, "://"), slices.Contains(strings.Fields(noPassword), value):
		return 0, 0
	case c.opaque || strings.IndexByte("/.~", value[0]) >= 0:
		if len(value) < 8 || !opaque(value) {
			return 0, 0
		}
	}
	return from, to
}
