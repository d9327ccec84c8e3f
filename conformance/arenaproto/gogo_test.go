package arenaproto_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaproto"
	"github.com/prometheus/prometheus/prompb"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// remoteWrite returns a request of Prometheus to other systems.
func remoteWrite(n int) *prompb.WriteRequest {
	w := &prompb.WriteRequest{}
	for i := range n {
		ts := prompb.TimeSeries{Labels: []prompb.Label{{Name: "__name__", Value: "http_requests_total"}, {Name: "instance", Value: fmt.Sprintf("10.0.%d.%d:9090", i/256, i%256)},
			{Name: "job", Value: "api"}, {Name: "method", Value: "GET"}, {Name: "code", Value: "200"}},
			Samples: []prompb.Sample{{Value: float64(i) * 1.5, Timestamp: 1732300000000 + int64(i)}}}
		if i%10 == 0 {
			ts.Exemplars = []prompb.Exemplar{{Labels: []prompb.Label{{Name: "trace_id", Value: "abc"}}, Value: 3, Timestamp: 1732300000001}}
			ts.Histograms = []prompb.Histogram{{Count: &prompb.Histogram_CountInt{CountInt: 5}, Sum: 2, PositiveDeltas: []int64{1, -2, 3}, PositiveSpans: []prompb.BucketSpan{{Offset: -1, Length: 3}}}}
		}
		w.Timeseries = append(w.Timeseries, ts)
	}
	return w
}

// pods returns an answer of Kubernetes' API server.
func pods(n int) *corev1.PodList {
	l := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "12345", RemainingItemCount: new(int64)}}
	at := metav1.NewTime(time.Unix(1732300000, 0))
	for i := range n {
		grace := int64(30)
		l.Items = append(l.Items, corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("web-%d", i), Namespace: "default", UID: "8d4f0c1e-0000-4000-8000-000000000000", CreationTimestamp: at,
				Labels:          map[string]string{"app": "web", "pod-template-hash": "7f9c6b5d4", "tier": "frontend"},
				Annotations:     map[string]string{"checksum/config": "0123456789abcdef"},
				OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web", Controller: new(bool)}}},
			Spec: corev1.PodSpec{NodeName: "node-1", TerminationGracePeriodSeconds: &grace, RestartPolicy: corev1.RestartPolicyAlways,
				Containers: []corev1.Container{{Name: "web", Image: "registry.example.com/web:1.2.3", Args: []string{"--port", "8080"},
					Env:            []corev1.EnvVar{{Name: "A", Value: "b"}, {Name: "POD", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.name"}}}},
					Ports:          []corev1.ContainerPort{{ContainerPort: 8080, Protocol: "TCP"}},
					Resources:      corev1.ResourceRequirements{Limits: corev1.ResourceList{"cpu": resource.MustParse("500m"), "memory": resource.MustParse("128Mi")}},
					ReadinessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/healthz", Port: intstr.FromInt32(8080)}}, PeriodSeconds: 10}}}},
			Status: corev1.PodStatus{Phase: corev1.PodRunning, PodIP: "10.1.2.3", StartTime: &at, Conditions: []corev1.PodCondition{{Type: "Ready", Status: "True", LastTransitionTime: at}},
				ContainerStatuses: []corev1.ContainerStatus{{Name: "web", Ready: true, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: at}}}}},
		})
	}
	return l
}

// A gogo is a type that gogo/protobuf has generated.
type gogo[T any] interface {
	*T
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

// checkStruct compares the decoded b with the result of the type's own method. For malformed inputs each of
// them accepts some that the other doesn't: the method refuses wire types that don't fit, and accepts entries of
// maps that continue after their end. good means that both must accept b.
func checkStruct[T any, P gogo[T]](t *testing.T, a *arena.Arena, b []byte, good bool) {
	t.Helper()
	var want T
	wantErr := P(&want).Unmarshal(b)
	for _, a := range []*arena.Arena{nil, a} {
		a.Reset()
		var got T
		err := arenaproto.UnmarshalStruct(a, b, &got)
		if good && (err != nil || wantErr != nil) {
			t.Fatalf("%T: errors %v and %v from %x", want, err, wantErr, b)
		}
		if err != nil || wantErr != nil {
			continue
		}
		if x, y := must(P(&got).Marshal()), must(P(&want).Marshal()); len(x) != len(y) || !reflect.DeepEqual(got, want) {
			t.Fatalf("%T:\n%+v\ninstead of\n%+v\nfrom %x", want, got, want, b)
		}
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// TestStructs: structs of Prometheus and of Kubernetes equal the results of their own methods, for the input
// unchanged, truncated, and damaged.
func TestStructs(t *testing.T) {
	a := arena.NewArena()
	w, p := must(remoteWrite(20).Marshal()), must(pods(2).Marshal())
	checkStruct[prompb.WriteRequest](t, a, w, true)
	checkStruct[corev1.PodList](t, a, p, true)
	for i := range 400 {
		checkStruct[prompb.WriteRequest](t, a, w[:i], false)
		checkStruct[corev1.PodList](t, a, p[:i], false)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
		for _, b := range [][]byte{w[:600], p} {
			b = append([]byte(nil), b...)
			b[r.IntN(len(b))] = byte(r.Uint32())
			if len(b) == 600 {
				checkStruct[prompb.WriteRequest](t, a, b, false)
			} else {
				checkStruct[corev1.PodList](t, a, b, false)
			}
		}
	}
}
