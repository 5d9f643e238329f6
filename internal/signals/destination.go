package signals

import (
	"net/netip"
	"slices"
	"strings"
)

// Hosts by what they are for; a name stands for all below it, too.
var hostClasses = []struct {
	class string
	hosts []string
}{
	{"gist", []string{"gist.github.com", "gist.githubusercontent.com", "snippets.gitlab.com"}},
	{"paste", []string{"pastebin.com", "paste.rs", "hastebin.com", "dpaste.com", "dpaste.org", "ix.io", "sprunge.us", "termbin.com", "0x0.st", "bpa.st",
		"paste.ee", "rentry.co", "rentry.org", "privatebin.net", "controlc.com", "ghostbin.com", "transfer.sh", "file.io", "bashupload.com", "gofile.io",
		"temp.sh", "catbox.moe", "anonfiles.com", "wetransfer.com", "webhook.site", "requestbin.com", "pipedream.net", "requestcatcher.com", "beeceptor.com",
		"oast.fun", "oast.pro", "oast.me", "interact.sh", "burpcollaborator.net"}},
	{"tunnel", []string{"ngrok.io", "ngrok.app", "ngrok.dev", "ngrok-free.app", "trycloudflare.com", "loca.lt", "localhost.run", "serveo.net", "lhr.life",
		"bore.pub", "tailscale.net", "devtunnels.ms", "pagekite.me"}},
	{"object_store", []string{"s3.amazonaws.com", "storage.googleapis.com", "blob.core.windows.net", "digitaloceanspaces.com", "r2.cloudflarestorage.com",
		"backblazeb2.com", "wasabisys.com", "linodeobjects.com", "storage.cloud.google.com"}},
	{"internal", []string{"local", "internal", "lan", "intranet", "corp", "home.arpa", "localdomain", "private"}},
	{"localhost", []string{"localhost"}},
}

// destination says what the hosts are that the action talks to. None is resolved.
func destination(l *look) {
	hosts := slices.Clone(l.subject.hosts)
	var classes []string
	for _, h := range hosts {
		classes = append(classes, hostClass(h))
	}
	for _, u := range l.subject.urls {
		if scheme, _, _ := strings.Cut(u, "://"); slices.Contains([]string{"s3", "gs", "az", "abfs", "r2"}, scheme) {
			classes = append(classes, "object_store")
		}
	}
	whole := !l.subject.anyHost && len(l.subject.commands) > 0 && !l.subject.opaque
	l.names("hosts", hosts, whole)
	l.names("classes", classes, whole)
	l.knownRemote(hosts, whole)
}

// knownRemote notes whether each host is that of a remote of the repository.
func (l *look) knownRemote(hosts []string, whole bool) {
	r, err := l.repository(l.subject.cwd)
	if err == errNoRepository {
		l.flag("equals_known_remote", false, whole)
		return
	}
	if err != nil || r.config.odd || r.config.rewrites() || l.ofUser().rewrites() {
		l.miss(".git", firstError(err, errNotRead))
		return
	}
	var remotes []string
	for _, name := range r.config.remotes() {
		for _, u := range r.config.values["remote."+name+".url"] {
			remotes = append(remotes, remoteHost(u))
		}
	}
	known := len(hosts) > 0 && !slices.ContainsFunc(hosts, func(h string) bool { return !slices.Contains(remotes, h) })
	l.flag("equals_known_remote", known, whole)
}

func hostClass(host string) string {
	if a, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return addressClass(a)
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	for _, c := range hostClasses {
		if slices.ContainsFunc(c.hosts, func(h string) bool { return host == h || strings.HasSuffix(host, "."+h) }) {
			return c.class
		}
	}
	switch {
	case strings.HasPrefix(host, "s3.") || strings.Contains(host, ".s3.") || strings.Contains(host, ".s3-"):
		return "object_store"
	case !strings.Contains(host, "."):
		return "internal"
	}
	return "other"
}

func addressClass(a netip.Addr) string {
	a = a.Unmap()
	switch {
	case a.IsLoopback() || a.IsUnspecified():
		return "localhost"
	case a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsMulticast():
		return "internal"
	}
	return "other"
}
