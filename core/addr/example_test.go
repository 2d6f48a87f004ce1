package addr_test

import (
	"fmt"

	"apex/core/addr"
	"apex/core/text"
)

func Example() {
	t := text.FromString("package main\n\nfunc main() {\n\tprintln(1)\n}\n")
	for _, s := range []string{"/main/", "/^func/,/^}/", "$-", "4-#0+#1", "/omega/"} {
		a, err := addr.Parse(s)
		if err != nil {
			fmt.Println(err)
			continue
		}
		r, err := a.Eval(t, addr.Range{})
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%s is %d to %d: %q\n", a, r.Q0, r.Q1, t.Substring(r.Q0, r.Q1))
	}
	// Output:
	// /main/ is 8 to 12: "main"
	// /^func/,/^}/ is 14 to 41: "func main() {\n\tprintln(1)\n}"
	// $- is 40 to 42: "}\n"
	// 4-#0+#1 is 29 to 29: ""
	// address "/omega/": no match for "omega"
}

func ExampleSplitFile() {
	for _, s := range []string{"main.go:12:5: ", "main.go:12:5:", "main.go:/func main/", "a:b.txt"} {
		file, address := addr.SplitFile(s)
		fmt.Printf("%q %q\n", file, address)
	}
	// Output:
	// "main.go:12:5: " ""
	// "main.go" "12-#0+#4"
	// "main.go" "/func main/"
	// "a:b.txt" ""
}
