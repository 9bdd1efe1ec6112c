// Package conformance checks from outside that a server collapses repeated requests: it sends them, counts effects by
// what the server's owner reads back, and never takes equal bodies for one effect.
//
// The cases are data (cases/*.yaml, embedded). A [Target] says where the server is, how its requests look, and which
// hooks its owner can offer; cases that need a hook that is not there are skipped and say so.
//
// A [Client] is checked the other way round: [RunClient] plays a faulty server to it and looks at what it repeats.
package conformance
