//! What a call reports instead of a result: a status of the C header and one sentence.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum Status {
    Ok = 0,
    BadInput = 1,
    Unsupported = 2,
    Corrupt = 3,
    Internal = 4,
}

#[derive(Debug)]
pub struct Failure {
    pub status: Status,
    pub message: String,
}

impl Failure {
    pub fn bad_input(message: String) -> Self {
        Failure {
            status: Status::BadInput,
            message,
        }
    }

    pub fn unsupported(message: String) -> Self {
        Failure {
            status: Status::Unsupported,
            message,
        }
    }

    pub fn corrupt(message: String) -> Self {
        Failure {
            status: Status::Corrupt,
            message,
        }
    }

    pub fn internal(message: String) -> Self {
        Failure {
            status: Status::Internal,
            message,
        }
    }
}
