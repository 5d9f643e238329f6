package fakellm

import (
	"net/http"
	"strconv"
	"strings"
)

// page answers what servers say of themselves beside the API: how long a prompt
// may be. Which pages there are depends on whose server the script plays.
func (s *Script) page(w http.ResponseWriter, r *http.Request) {
	var body object
	path := r.Method + " " + r.URL.Path
	switch {
	case s.Server == "ollama" && path == "GET /api/ps":
		body = object{"models": []object{}} // none is loaded: num_ctx counts
	case s.Server == "ollama" && path == "POST /api/show":
		parameters := "temperature 0"
		if s.Context > 0 {
			parameters += "\nnum_ctx                        " + strconv.Itoa(s.Context)
		}
		body = object{"parameters": parameters, "model_info": object{"scripted.context_length": 131072}}
	case s.Server == "llama.cpp" && path == "GET /props":
		body = object{"default_generation_settings": object{"n_ctx": s.Context}}
	case strings.HasPrefix(path, "GET /v1beta/models/"):
		body = object{"name": r.URL.Path[len("/v1beta/"):], "inputTokenLimit": s.Context}
	case s.Server == "vllm" && path == "GET /v1/models":
		body = object{"object": "list", "data": []object{{"id": "scripted", "object": "model", "max_model_len": s.Context}}}
	case strings.HasSuffix(path, "/models"):
		body = object{"object": "list", "data": []object{{"id": "scripted", "object": "model"}}}
	default:
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(marshal(body)) // the client may be gone
}
