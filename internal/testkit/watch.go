package testkit

// WatchContract uses the conditions and the words around rules: an agent that
// extends another, one in shadow mode, one with a credential, labels, groups,
// panels, and a limit that asks.
const WatchContract = `
version: 1
name: watch
catalogs:
  shop: {pin: PIN, tools: shop.json}
labels:
  private: [shop.accounts]
agents:
  buyer:
    tools:
      shop.accounts: allow
      shop.read:
        allow:
          - path: {length: {max: 100}}
            $request: {mentions: [read, "look at"]}
      shop.wipe:
        allow: [{}]
        never:
          - $session: {called: [private]}
      shop.pay:
        allow:
          - amount: {min: 0, max: 10}
            to: {length: {max: 20}}
            $session: {distinct: {argument: to, max: 2}}
        approve:
          - amount: {min: 0, max: 100}
            $approvers: [ann]
          - amount: {min: 50, max: 500}
            $approvers: [ann, bob]
            $quorum: 2
          - amount: {min: 1000, max: 1000}
            $when: "call.arguments.amount / 0 > 1"
        limits:
          - {sum: amount, max: 120, per: 1d, over: approve}
  intern:
    extends: buyer
    tools:
      shop.pay:
        approve: [{amount: {min: 0, max: 5}, $approvers: [bob]}]
      shop.accounts: block
  shadow:
    mode: shadow
    tools:
      shop.pay:
        approve: [{amount: {min: 0, max: 5}}]
        limits: [{calls: 1, per: 1h}]
  clerk:
    authenticate: {token: clerk}
    tools:
      shop.*: allow
approvals: {expire: 15m, approvers: [ann, bob]}
`
