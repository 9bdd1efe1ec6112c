package plan_test

import (
	"strings"
	"testing"

	"github.com/retrysafe/retrysafe/generator/plan"
)

func TestShown(t *testing.T) {
	t.Parallel()
	p := build(t, `openapi: 3.1.0
paths:
  /orders/{id}:
    get:
      operationId: getOrder
      tags: [Orders]
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses:
        '200':
          description: ok
          headers: {ETag: {schema: {type: string, examples: ['"7"']}}, X-Left: {example: [1], schema: {type: array}}}
          content: {application/json: {examples: {one: {value: {id: ord_1, "qty": 0x10}}}, schema: {$ref: '#/components/schemas/Order'}}}
    delete:
      operationId: deleteOrder
      tags: [Orders]
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses:
        '200': {description: ok, content: {application/json: {example: {id: ord_1, tags: [a, null, true, 1.5]}, schema: {$ref: '#/components/schemas/Order'}}}}
components:
  schemas:
    Order: {type: object, properties: {id: {type: string, example: ord_2}, note: {type: string, example: `+strings.Repeat("x", 500)+`}, state: {$ref: '#/components/schemas/State'}}}
    State: {type: string, enum: [open, done], example: done}
`)
	get, del := methods(p)["Orders.Get"], methods(p)["Orders.Delete"]
	if got := get.Result.Answers[0].Example; got != "" {
		t.Errorf("a number that JSON does not have is shown: %s", got)
	}
	if got := del.Result.Answers[0].Example; got != `{"id":"ord_1","tags":["a",null,true,1.5]}` {
		t.Errorf("answer: %s", got)
	}
	if h := get.Headers; h[0].Example != `"7"` || h[1].Example != "" {
		t.Errorf("headers: %q %q", h[0].Example, h[1].Example)
	}
	order := typeOf(t, p, "Order")
	if f := order.Fields; f[0].Example != `"ord_2"` || f[1].Example != "" || f[2].Example != `"done"` {
		t.Errorf("members: %q %q %q", f[0].Example, f[1].Example, f[2].Example)
	}
	if got := typeOf(t, p, "State").Example; got != `"done"` {
		t.Errorf("type: %s", got)
	}
}

func TestEndsOfStreams(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ operation, media, want string }{
		"nothing is said":  {"", "", " false"},
		"ours":             {"x-stream: {end: '[END]'}", "", "[END] false"},
		"endless":          {"x-stream: {endless: true}", "", " true"},
		"Fern":             {"x-fern-streaming: {format: sse, terminator: '[DONE]'}", "", "[DONE] false"},
		"Speakeasy":        {"", "x-speakeasy-sse-sentinel: '[DONE]', ", "[DONE] false"},
		"in words":         {"description: 'Tokens come as events, with the stream terminated by a `data: [DONE]` message.'", "", "[DONE] false"},
		"words of no end":  {"description: 'Skip lines such as data: [DONE].'", "", " false"},
		"over a full stop": {"description: 'The stream ends. A client sends data: [DONE] first.'", "", " false"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := build(t, `openapi: 3.1.0
paths:
  /events:
    get:
      operationId: watchEvents
      tags: [Events]
      responses: {'200': {description: ok, content: {text/event-stream: {`+tt.media+`schema: {type: object}}}}}
      `+tt.operation+"\n")
			r := methods(p)["Events.Watch"].Result
			if got := r.End + map[bool]string{true: " true", false: " false"}[r.Endless]; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestStreamsAreSpeltRight(t *testing.T) {
	t.Parallel()
	_, err := tryPlan(t, `openapi: 3.1.0
paths:
  /events:
    get:
      operationId: watchEvents
      x-stream: {ending: '[DONE]'}
      responses: {'200': {description: ok, content: {text/event-stream: {schema: {type: object}}}}}
`, plan.Options{})
	if err == nil || !strings.Contains(err.Error(), `"ending"`) {
		t.Errorf("got %v", err)
	}
}

func TestSwitchOfStreams(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		"{type: object, properties: {stream: {type: boolean}}}":                       "Stream",
		"{type: object, properties: {stream: {type: boolean, nullable: true}}}":       "Stream",
		"{type: object, required: [stream], properties: {stream: {type: boolean}}}":   "Stream",
		"{type: object, properties: {stream: {type: string}}}":                        "",
		"{type: object, properties: {streaming: {type: boolean}}}":                    "",
		"{type: object, required: [stream], properties: {stream: {enum: [true]}}}":    "",
		"{type: array, items: {type: object, properties: {stream: {type: boolean}}}}": "",
	} {
		p := build(t, `openapi: 3.0.3
paths:
  /answers:
    post:
      operationId: createAnswer
      tags: [Answers]
      requestBody: {required: true, content: {application/json: {schema: `+schema+`}}}
      responses: {'200': {description: ok, content: {application/json: {schema: {type: object}}, text/event-stream: {schema: {type: object}}}}}
`)
		m := methods(p)["Answers.CreateStream"]
		if m == nil || m.Result.Switch != want || strings.Contains(m.Doc, "by stream in the body") != (want != "") {
			t.Errorf("%s: %+v", schema, m)
		}
	}
}
