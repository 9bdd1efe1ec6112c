package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// writeGrowth shows how cost grows with the number of operations: GET and POST on /r{n}/{id}, each with its own
// schema of 12 properties, one of them an enum and one an inline object.
func writeGrowth(w *strings.Builder, work string, tools []tool, rounds int) error {
	w.WriteString("### Growth with operations\n\n| operations | tool | generate s | peak MiB | lines | build CPU s | s for 100 operations |\n|---|---|---|---|---|---|---|\n")
	for _, n := range []int{100, 300, 1000} {
		doc := filepath.Join(work, fmt.Sprintf("ops%d.yaml", n))
		if err := os.WriteFile(doc, []byte(synthetic(n)), 0o600); err != nil {
			return err
		}
		for _, t := range tools {
			s := measure(work, t, fmt.Sprintf("ops%d", n), doc, rounds)
			if s.fault != "" {
				fmt.Fprintf(w, "| %d | %s | %s | | | | |\n", n, t.name, s.fault)
				continue
			}
			fmt.Fprintf(w, "| %d | %s | %.2f | %d | %d | %.1f | %.3f |\n", n, t.name, s.wall.Seconds(), s.peakMiB, s.lines, s.buildCPU.Seconds(), s.wall.Seconds()*100/float64(n))
		}
	}
	w.WriteString("\n")
	return nil
}

func synthetic(operations int) string {
	var paths, schemas strings.Builder
	for i := range operations / 2 {
		fmt.Fprintf(&paths, `  /r%[1]d/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: string}}
    get:
      tags: [group%[2]d]
      operationId: getR%[1]d
      responses:
        "200": {description: ok, content: {application/json: {schema: {$ref: "#/components/schemas/R%[1]d"}}}}
    post:
      tags: [group%[2]d]
      operationId: changeR%[1]d
      requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/R%[1]dChange"}}}}
      responses:
        "200": {description: ok, content: {application/json: {schema: {$ref: "#/components/schemas/R%[1]d"}}}}
`, i, i%20)
		for _, name := range []string{fmt.Sprintf("R%d", i), fmt.Sprintf("R%dChange", i)} {
			fmt.Fprintf(&schemas, "    %s:\n      type: object\n      required: [f0, f1]\n      properties:\n        status: {type: string, enum: [open, done, failed]}\n        place: {type: object, properties: {street: {type: string}, city: {type: string}}}\n", name)
			for f := range 10 {
				fmt.Fprintf(&schemas, "        f%d: {type: %s}\n", f, []string{"string", "integer", "number", "boolean"}[f%4])
			}
		}
	}
	return "openapi: 3.0.3\ninfo: {title: growth, version: \"1\"}\npaths:\n" + paths.String() + "components:\n  schemas:\n" + schemas.String()
}
