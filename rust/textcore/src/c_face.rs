//! The functions of `include/textcore.h`: arguments checked, panics caught, errors handed out.

use crate::failure::{Failure, Status};
use crate::pattern;
use crate::vocabulary::{ENGLISH, MULTILINGUAL};
use crate::Tokenizer;
use std::any::Any;
use std::panic::{catch_unwind, set_hook, AssertUnwindSafe};
use std::slice;
use std::sync::Once;

#[repr(C)]
pub struct Text {
    data: *mut u8,
    size: usize,
}

#[repr(C)]
pub struct Ids {
    data: *mut i32,
    size: usize,
}

/// Runs `work`; a failure or panic becomes a status and, where `error` is given, a message.
fn guard(error: *mut Text, work: impl FnOnce() -> Result<(), Failure>) -> Status {
    static QUIET: Once = Once::new();
    // Every entry reports a panic as an error: the hook that prints it would say it twice.
    QUIET.call_once(|| set_hook(Box::new(|_| {})));
    let result = catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|panic| Err(Failure::internal(panic_message(panic.as_ref()))));
    match result {
        Ok(()) => Status::Ok,
        Err(failure) => {
            if !error.is_null() {
                let message = failure.message.into_bytes().into_boxed_slice();
                let (data, size) = hand_out(message);
                // SAFETY: the caller gives a place for one Text or null.
                unsafe { error.write(Text { data, size }) };
            }
            failure.status
        }
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let reason = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no reason given");
    format!("the text core failed: {reason}")
}

fn hand_out<T>(values: Box<[T]>) -> (*mut T, usize) {
    let size = values.len();
    (Box::into_raw(values).cast::<T>(), size)
}

fn hand_out_ids<I: TryInto<i32>>(ids: Vec<I>) -> Ids {
    let ids: Box<[i32]> = ids
        .into_iter()
        .map(|id| match id.try_into() {
            Ok(id) => id,
            Err(_) => panic!("ids are below the number of tokens"),
        })
        .collect();
    let (data, size) = hand_out(ids);
    Ids { data, size }
}

fn utf8(text: &[u8]) -> Result<&str, Failure> {
    std::str::from_utf8(text).map_err(|fault| {
        let place = fault.valid_up_to();
        Failure::bad_input(format!(
            "expected text in UTF-8, got an invalid byte at {place}"
        ))
    })
}

/// # Safety
/// `data` and `size` must come from `hand_out`, once.
unsafe fn take_back<T>(data: *mut T, size: usize) {
    if !data.is_null() {
        drop(Box::from_raw(std::ptr::slice_from_raw_parts_mut(
            data, size,
        )));
    }
}

/// # Safety
/// `data` must point at `size` readable bytes, or `size` be 0.
unsafe fn bytes<'a>(data: *const u8, size: usize) -> &'a [u8] {
    if size == 0 {
        &[]
    } else {
        slice::from_raw_parts(data, size)
    }
}

/// # Safety
/// As `textcore.h` says.
#[no_mangle]
pub unsafe extern "C" fn textcore_open_whisper(
    vocabulary: u32,
    tokenizer: *mut *mut Tokenizer,
    error: *mut Text,
) -> Status {
    guard(error, || {
        let table = match vocabulary {
            0 => &MULTILINGUAL,
            1 => &ENGLISH,
            other => {
                return Err(Failure::bad_input(format!(
                    "no vocabulary has the number {other}"
                )))
            }
        };
        tokenizer.write(Box::into_raw(Box::new(Tokenizer::Embedded(table))));
        Ok(())
    })
}

/// # Safety
/// As `textcore.h` says.
#[no_mangle]
pub unsafe extern "C" fn textcore_open_json(
    json: *const u8,
    size: usize,
    tokenizer: *mut *mut Tokenizer,
    error: *mut Text,
) -> Status {
    let status = guard(error, || {
        let read = Tokenizer::from_json(bytes(json, size))?;
        tokenizer.write(Box::into_raw(Box::new(read)));
        Ok(())
    });
    // The crate panics on some contradictory files; that is the file's fault.
    if status == Status::Internal {
        Status::Corrupt
    } else {
        status
    }
}

/// # Safety
/// As `textcore.h` says.
#[no_mangle]
pub unsafe extern "C" fn textcore_close(tokenizer: *mut Tokenizer) {
    guard(std::ptr::null_mut(), || {
        if !tokenizer.is_null() {
            drop(Box::from_raw(tokenizer));
        }
        Ok(())
    });
}

/// # Safety
/// As `textcore.h` says.
#[no_mangle]
pub unsafe extern "C" fn textcore_is_embedded(tokenizer: *const Tokenizer) -> bool {
    matches!(*tokenizer, Tokenizer::Embedded(_))
}

/// # Safety
/// As `textcore.h` says.
#[no_mangle]
pub unsafe extern "C" fn textcore_token_count(tokenizer: *const Tokenizer) -> usize {
    let mut count = 0;
    guard(std::ptr::null_mut(), || {
        count = (*tokenizer).count();
        Ok(())
    });
    count
}

/// # Safety
/// As `textcore.h` says.
#[no_mangle]
pub unsafe extern "C" fn textcore_token_bytes(
    tokenizer: *const Tokenizer,
    id: usize,
    data: *mut *const u8,
    size: *mut usize,
) -> Status {
    guard(std::ptr::null_mut(), || {
        let token = (*tokenizer)
            .token(id)
            .ok_or_else(|| Failure::bad_input(format!("no token has the id {id}")))?;
        data.write(token.as_ptr());
        size.write(token.len());
        Ok(())
    })
}

/// # Safety
/// As `textcore.h` says.
#[no_mangle]
pub unsafe extern "C" fn textcore_encode(
    tokenizer: *const Tokenizer,
    text: *const u8,
    size: usize,
    ids: *mut Ids,
    error: *mut Text,
) -> Status {
    guard(error, || {
        let encoded = (*tokenizer).encode(utf8(bytes(text, size))?)?;
        ids.write(hand_out_ids(encoded));
        Ok(())
    })
}

/// # Safety
/// As `textcore.h` says.
#[no_mangle]
pub unsafe extern "C" fn textcore_matching_tokens(
    tokenizer: *const Tokenizer,
    pattern: *const u8,
    size: usize,
    ids: *mut Ids,
    error: *mut Text,
) -> Status {
    guard(error, || {
        let matching = pattern::matching_tokens(&*tokenizer, utf8(bytes(pattern, size))?)?;
        ids.write(hand_out_ids(matching));
        Ok(())
    })
}

/// # Safety
/// As `textcore.h` says.
#[no_mangle]
pub unsafe extern "C" fn textcore_free_ids(ids: Ids) {
    take_back(ids.data, ids.size);
}

/// # Safety
/// As `textcore.h` says.
#[no_mangle]
pub unsafe extern "C" fn textcore_free_text(text: Text) {
    take_back(text.data, text.size);
}
