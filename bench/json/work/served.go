package work

import (
	"fmt"
	"reflect"
	"runtime"
)

// The texts that a server reads, with types like those of the programs that read them: with maps for objects with
// unpredictable names. They are made here, and the decoders aren't tuned for them.
const (
	Pods    = "pods"      // a PodList of Kubernetes
	Places  = "places"    // GeoJSON
	Headers = "headers"   // a line of a log with the headers of a request
	Events  = "events"    // of a code host, with payloads of several kinds
	letters = "abcdef012" // of identifiers
)

type podList struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		ResourceVersion string `json:"resourceVersion"`
	} `json:"metadata"`
	Items []pod `json:"items"`
}

type pod struct {
	Metadata podMeta `json:"metadata"`
	Spec     struct {
		NodeName      string            `json:"nodeName"`
		RestartPolicy string            `json:"restartPolicy"`
		NodeSelector  map[string]string `json:"nodeSelector"`
		Containers    []podContainer    `json:"containers"`
	} `json:"spec"`
	Status struct {
		Phase      string         `json:"phase"`
		PodIP      string         `json:"podIP"`
		Conditions []podCondition `json:"conditions"`
	} `json:"status"`
}

type podMeta struct {
	Name        string            `json:"name"`
	Namespace   string            `json:"namespace"`
	UID         string            `json:"uid"`
	Created     string            `json:"creationTimestamp"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

type podContainer struct {
	Name  string   `json:"name"`
	Image string   `json:"image"`
	Args  []string `json:"args"`
	Env   []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"env"`
	Ports []struct {
		ContainerPort int    `json:"containerPort"`
		Protocol      string `json:"protocol"`
	} `json:"ports"`
	Resources struct {
		Limits   map[string]string `json:"limits"`
		Requests map[string]string `json:"requests"`
	} `json:"resources"`
}

type podCondition struct {
	Type       string  `json:"type"`
	Status     string  `json:"status"`
	Reason     *string `json:"reason"`
	Transition string  `json:"lastTransitionTime"`
}

func pods(n int) []byte {
	b := []byte(`{"apiVersion":"v1","kind":"PodList","metadata":{"resourceVersion":"7351220"},"items":[`)
	for i := range n {
		b = fmt.Appendf(b, `{"metadata":{"name":"web-%05d-%s","namespace":"team-%d",`+
			`"uid":"4bf92f35-77b3-4da6-a3ce-%012d",`+
			`"creationTimestamp":"2026-11-22T14:%02d:10Z","labels":{"app":"web","tier":"front%d",`+
			`"pod-template-hash":"%d"},`+
			`"annotations":{"prometheus.io/scrape":"true","prometheus.io/port":"%d"}},"spec":{"nodeName":"node-%d",`+
			`"restartPolicy":"Always","nodeSelector":{"kubernetes.io/os":"linux"},"containers":[`,
			i*7919, letters[i%9:], i%7, i*1_000_003, i%60, i%3, i*104729, 9000+i, i%12)
		for j := range 2 {
			b = fmt.Appendf(b, `{"name":"c%d","image":"registry.example.com/team/web:v1.%d.%d",`+
				`"args":["--port=%d","--log=info"],`+
				`"env":[{"name":"POD_NAME","value":"web-%d"},{"name":"MODE","value":"production"}],`+
				`"ports":[{"containerPort":%d,"protocol":"TCP"}],`+
				`"resources":{"limits":{"cpu":"500m","memory":"%dMi"},"requests":{"cpu":"100m","memory":"128Mi"}}},`,
				j, i, j, 8080+j, i, 8080+j, 256+i)
		}
		b = fmt.Appendf(b[:len(b)-1], `]},"status":{"phase":"Running","podIP":"10.2.%d.%d","conditions":[`+
			`{"type":"Initialized","status":"True","reason":null,"lastTransitionTime":"2026-11-22T14:00:00Z"},`+
			`{"type":"Ready","status":"False","reason":"ContainersNotReady",`+
			`"lastTransitionTime":"2026-11-22T14:01:00Z"}]}},`,
			i%256, i*7%256)
	}
	return append(b[:len(b)-1], "]}"...)
}

type places struct {
	Type     string `json:"type"`
	Features []struct {
		Type     string `json:"type"`
		ID       int64  `json:"id"`
		Geometry struct {
			Type        string         `json:"type"`
			Coordinates [][][2]float64 `json:"coordinates"`
		} `json:"geometry"`
		Properties struct {
			Name       string  `json:"name"`
			Population *int64  `json:"population"`
			Area       float64 `json:"area_km2"`
		} `json:"properties"`
	} `json:"features"`
}

func geo(n int) []byte {
	b := []byte(`{"type":"FeatureCollection","features":[`)
	for i := range n {
		b = fmt.Appendf(b, `{"type":"Feature","id":%d,"geometry":{"type":"Polygon","coordinates":[[`, i+1)
		for j := range 40 {
			b = fmt.Appendf(b, `[%d.%06d,%d.%05d],`, i%180, (i*7919+j*104729)%1_000_000, j-20, (i*31+j*1013)%100_000)
		}
		population := fmt.Sprint(i * 1009)
		if i%4 == 0 {
			population = "null"
		}
		b = fmt.Appendf(b[:len(b)-1], `]]},"properties":{"name":"Gemeinde %d, Österreich","population":%s,`+
			`"area_km2":%d.%d}},`,
			i, population, i*3, i%10)
	}
	return append(b[:len(b)-1], "]}"...)
}

type requestLine struct {
	Time    string            `json:"time"`
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Status  int               `json:"status"`
	Seconds float64           `json:"seconds"`
	Headers map[string]string `json:"headers"`
}

const headersLine = `{"time":"2026-11-22T14:27:10.123456Z","method":"GET","path":"/api/v1/orders/17","status":200,` +
	`"seconds":0.01275,"headers":{"host":"shop.example.com","accept":"application/json","user-agent":"client/7.1",` +
	`"x-request-id":"4bf92f3577b34da6"}}`

type event struct {
	ID      string         `json:"id"`
	Type    string         `json:"type"`
	Public  bool           `json:"public"`
	Created string         `json:"created_at"`
	Payload map[string]any `json:"payload"`
	Actor   struct {
		ID    int64  `json:"id"`
		Login string `json:"login"`
		URL   string `json:"url"`
	} `json:"actor"`
	Repo struct {
		ID   int64  `json:"id"`
		Name string `json:"name"`
	} `json:"repo"`
}

func events(n int) []byte {
	b := []byte{'['}
	for i := range n {
		b = fmt.Appendf(b, `{"id":"%d","type":"%sEvent","actor":{"id":%d,"login":"user-%d",`+
			`"url":"https://api.example.com/users/user-%d"},`+
			`"repo":{"id":%d,"name":"org-%d/project-%d"},"public":true,"created_at":"2026-11-22T14:%02d:%02dZ",`+
			`"payload":`,
			41_000_000_000+i, [...]string{"Push", "Issues", "Watch"}[i%3], i*7919, i, i, i*104729, i%9, i, i%60, i*7%60)
		switch i % 3 {
		case 0:
			b = fmt.Appendf(b, `{"push_id":%d,"size":2,"ref":"refs/heads/main","commits":[{"sha":"%040x",`+
				`"message":"Fix \"%d\"",`+
				`"author":{"name":"Zoë","email":"z@example.com"},"distinct":true},{"sha":"%040x",`+
				`"message":"Add a test",`+
				`"author":{"name":"Ann","email":"a@example.com"},"distinct":false}]}},`,
				i*31, i*1_000_003, i, i*1_000_033)
		case 1:
			b = fmt.Appendf(b, `{"action":"opened","issue":{"number":%d,"title":"It fails with %d files",`+
				`"labels":[{"name":"bug",`+
				`"color":"d73a4a"},{"name":"p%d","color":"ffffff"}],"milestone":null,"comments":%d,`+
				`"score":%d.5}}},`, i, i, i%3, i%20, i)
		default:
			b = append(b, `{"action":"started"}},`...)
		}
	}
	return append(b[:len(b)-1], ']')
}

// served returns the texts.
func served() []Text {
	return []Text{{Name: Pods, Data: pods(40), Type: reflect.TypeFor[podList]()},
		{Name: Places, Data: geo(110), Type: reflect.TypeFor[places]()},
		{Name: Headers, Data: []byte(headersLine), Type: reflect.TypeFor[requestLine]()},
		{Name: Events, Data: events(120), Type: reflect.TypeFor[[]event]()}}
}

// Served reports whether a text is one that a server reads.
func Served(name string) bool {
	return name == Pods || name == Places || name == Headers || name == Events
}

// beside is a server's other memory: 32 MB that the collector marks each time. Each value has 64 bytes, and points to
// the previous one.
var beside *kept

type kept struct {
	before *kept
	_      [7]uint64
}

// fill allocates beside.
func fill() {
	for range 500_000 {
		beside = &kept{before: beside}
	}
	runtime.GC()
}
