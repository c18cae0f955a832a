// Package office holds the office where people answer to what it says: who may, what
// goes on record, and what is not done where that fails.
//
// Map:
//
//	office_test.go  answers, a broken record, what nobody answered in time
package office
