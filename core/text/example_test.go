package text_test

import (
	"fmt"
	"regexp/syntax"

	"apex/core/text"
)

func Example() {
	before := text.FromString("one\ntwo\n")
	after := before.Replace(4, 7, "你好")
	fmt.Printf("%q is still there\n", before)
	fmt.Printf("%q has %d runes, %d bytes\n", after, after.Runes(), after.Bytes())
	fmt.Printf("rune 6 is in line %d, line 2 begins at rune %d\n", after.LineOf(6), after.LineStart(2))
	// Output:
	// "one\ntwo\n" is still there
	// "one\n你好\n" has 7 runes, 11 bytes
	// rune 6 is in line 1, line 2 begins at rune 7
}

func ExampleDraft() {
	d := text.FromString("hello").Edit()
	at := d.Runes()
	for _, key := range []string{",", " ", "世", "界"} {
		at += d.Replace(at, at, key)
	}
	snapshot := d.Text()
	d.Replace(0, 1, "J")
	fmt.Printf("%q %q\n", snapshot, d.Text())
	// Output: "hello, 世界" "Jello, 世界"
}

func ExampleDraft_Replace() {
	d := text.FromString("\xe4\xbd").Edit()
	fmt.Println(d.Runes(), "runes")
	fmt.Println("grew by", d.Replace(2, 2, "\xa0"))
	fmt.Println(d.Text())
	// Output:
	// 2 runes
	// grew by -1
	// 你
}

func ExampleText_Find() {
	t := text.FromString("func a()\nfunc b()\n")
	p, err := text.CompilePattern(`^func (\w+)`, syntax.Perl&^syntax.OneLine, false)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t.Find(p, 1, t.Runes()), t.FindLast(p, 9))
	// Output: [9 15 14 15] [0 6]
}
