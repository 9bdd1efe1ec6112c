package models_test

import (
	"fmt"
	"strings"

	"github.com/retrysafe/retrysafe/generator/models"
	"github.com/retrysafe/retrysafe/generator/plan"
)

func ExampleDeclarations() {
	texts, err := models.Declarations([]*plan.Type{{
		Name: "Color", Kind: plan.Enum, Base: "string", Doc: "Color of a thing.",
		Values: []*plan.EnumValue{{GoName: "ColorRed", Literal: `"red"`}, {GoName: "ColorGreen", Literal: `"green"`}},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.TrimSpace(texts["Color"]))
	// Output:
	// // Color of a thing.
	// type Color string
	//
	// // The values of Color that the document names; a server may send others.
	// const (
	// 	ColorRed Color = "red"
	// 	ColorGreen Color = "green"
	// )
}
