package clikit

import (
	"fmt"
	"net"
	"net/netip"
)

// ListenLoopback opens an address such as 127.0.0.1:0 for a server that is for this
// machine only; port 0 is any that is free.
func ListenLoopback(address string) (net.Listener, error) {
	a, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil, fmt.Errorf("the address %q: expected one such as 127.0.0.1:0", address)
	}
	if !a.Addr().IsLoopback() {
		return nil, fmt.Errorf("the address %s: this server listens on a loopback address only, such as 127.0.0.1:0", address)
	}
	return net.Listen("tcp", address)
}
