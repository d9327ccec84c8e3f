package arenaext

import (
	"math"
	"reflect"
	"unsafe"
)

// StoreInt stores v in the number of a kind at p, and reports whether it fits.
func StoreInt(k reflect.Kind, p unsafe.Pointer, v int64) bool {
	switch k {
	case reflect.Int64:
		*(*int64)(p) = v
	case reflect.Int32:
		*(*int32)(p) = int32(v)
		return v == int64(int32(v))
	case reflect.Int:
		*(*int)(p) = int(v)
		return v == int64(int(v))
	case reflect.Int16:
		*(*int16)(p) = int16(v)
		return v == int64(int16(v))
	case reflect.Int8:
		*(*int8)(p) = int8(v)
		return v == int64(int8(v))
	case reflect.Uint64:
		*(*uint64)(p) = uint64(v)
		return v >= 0
	case reflect.Uint32:
		*(*uint32)(p) = uint32(v)
		return v == int64(uint32(v))
	case reflect.Uint:
		*(*uint)(p) = uint(v)
		return v >= 0 && uint64(v) <= math.MaxUint
	case reflect.Uint16:
		*(*uint16)(p) = uint16(v)
		return v == int64(uint16(v))
	case reflect.Uint8:
		*(*uint8)(p) = uint8(v)
		return v == int64(uint8(v))
	case reflect.Float64:
		*(*float64)(p) = float64(v)
	case reflect.Float32:
		*(*float32)(p) = float32(v)
	default:
		return false
	}
	return true
}

// StoreFloat stores v in the float of a kind at p, and reports whether the kind is a float's.
func StoreFloat(k reflect.Kind, p unsafe.Pointer, v float64) bool {
	switch k {
	case reflect.Float64:
		*(*float64)(p) = v
	case reflect.Float32:
		*(*float32)(p) = float32(v)
	default:
		return false
	}
	return true
}

// IsInt reports whether a kind is that of an integer, except uintptr.
func IsInt(k reflect.Kind) bool { return k >= reflect.Int && k <= reflect.Uint64 }

// IsFloat reports whether a kind is that of a float.
func IsFloat(k reflect.Kind) bool { return k == reflect.Float32 || k == reflect.Float64 }
