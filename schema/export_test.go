package schema

// LibraryAccepts judges a decoded value by the library alone, as a test oracle.
func LibraryAccepts(s *Schema, v any) bool { return s.library.Validate(v) == nil }
