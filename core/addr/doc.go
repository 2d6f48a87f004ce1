// Package addr reads and evaluates addresses of text in the language of sam.
//
//	#n         the empty string after rune n
//	n          line n, counted from 1, with its newline; 0 is the beginning of the text
//	/re/       the next match of the regular expression, from the end of the address so far
//	?re?       the last match before it
//	$          the end of the text
//	.          dot
//	a+b a-b    b evaluated from the end of a forwards, or from the beginning of a backwards
//	a,b        from the beginning of a to the end of b, both evaluated from dot
//	a;b        the same, but b is evaluated from a, and dot is a while it is
//
// The defaults are sam's. A missing a is dot before + and -, and 0 before , and ;. A missing b is 1
// after + and -, and $ after , and ;. A missing + is put between two addresses of which the second
// is a number or a pattern, so /x/3 is /x/+3. The number after # is 1 if it is missing. Blanks
// between the parts mean nothing. The empty address is dot.
//
// A search that gets to the end of the text goes on at the beginning, and the other way round. The
// direction after - is backwards, and - turns ?re? forwards. A match that is empty and where the
// search began doesn't count. In a pattern, \ before the delimiter gives the delimiter, and the
// closing delimiter may be missing at the end of the address.
//
// Regular expressions are those of Go's regexp package with sam's conventions: ^ and $ match at
// lines, neither . nor a negated class matches a newline, and the leftmost, longest match is
// taken. Backwards, that is the match which ends last, and of those the longest.
//
// What sam has and this package hasn't: the address of another file, the mark, and the last
// pattern for an empty one. The package is pure: it keeps no state between calls.
package addr
