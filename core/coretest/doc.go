// Package coretest runs scripts against whole sessions: one authority with its disk, any number of
// replicas, and connections that move when the script says so. The scripts are in
// core/testdata/scenario; after each, every replica, the daemon, and what its disk would bring back
// are compared byte for byte.
//
// Env.Handle runs one command. Every command has a handler in the file of its kind:
//
//	attach, connect, leave, cut, notice, flood    clients and connections
//	takeback, take, renew, recall, give, retry    leases, and what was lost with them
//	up, down, settle, tick                        messages and time
//	sync, crash, start, faildisk, rewrite         the disk and the daemon
//	open, type, undo, delete, bundle              what a leader does
//	propose, results                              what others ask for
//	term                                          terminals and what their programs write
//	leases, text, windows, ondisk, agree          what there is
package coretest
