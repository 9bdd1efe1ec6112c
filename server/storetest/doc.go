// Package storetest is part of the server half.
package storetest
