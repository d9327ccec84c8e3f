//! The libraries, each used as its documentation tells for a text in memory.

use serde::de::DeserializeOwned;

#[derive(Clone, Copy, PartialEq)]
pub enum Peer {
    SerdeJson,
    SonicRs,
    SimdJson,
}

impl Peer {
    pub fn named(name: &str) -> Result<Peer, String> {
        match name {
            "serde_json" => Ok(Peer::SerdeJson),
            "sonic-rs" => Ok(Peer::SonicRs),
            "simd-json" => Ok(Peer::SimdJson),
            _ => Err(format!(
                "-peer must be serde_json, sonic-rs or simd-json, not {name:?}"
            )),
        }
    }

    /// Says whether decode writes to the text, so that each call needs one of its own.
    pub fn overwrites(self) -> bool {
        self == Peer::SimdJson
    }

    /// Reads a text and shows the value. The buffers are simd-json's, which it uses again. One copy
    /// of it for each type is enough: it is most of the program.
    #[inline(never)]
    pub fn decode<T: DeserializeOwned>(
        self,
        data: &mut [u8],
        buffers: &mut simd_json::Buffers,
        show: &mut dyn FnMut(&T),
    ) -> Result<(), String> {
        match self {
            Peer::SerdeJson => show(&serde_json::from_slice(data).map_err(|e| e.to_string())?),
            Peer::SonicRs => show(&sonic_rs::from_slice(data).map_err(|e| e.to_string())?),
            Peer::SimdJson => show(
                &simd_json::serde::from_slice_with_buffers(data, buffers)
                    .map_err(|e| e.to_string())?,
            ),
        }
        Ok(())
    }
}
