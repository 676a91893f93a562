"""libwhinchat by ctypes, as any Python program would call it."""

import ctypes
import os

STATUSES = ["OK", "BAD_INPUT", "NOT_FOUND", "UNSUPPORTED", "CORRUPT", "BUSY", "INTERNAL"]


class Segment(ctypes.Structure):
    _fields_ = [
        ("start_s", ctypes.c_double),
        ("end_s", ctypes.c_double),
        ("text", ctypes.c_char_p),
        ("tokens", ctypes.POINTER(ctypes.c_int32)),
        ("token_count", ctypes.c_size_t),
        ("avg_logprob", ctypes.c_double),
        ("compression_ratio", ctypes.c_double),
        ("no_speech_prob", ctypes.c_double),
        ("word_count", ctypes.c_size_t),
        ("channel", ctypes.c_int),
    ]


class Word(ctypes.Structure):
    _fields_ = [
        ("start_s", ctypes.c_double),
        ("end_s", ctypes.c_double),
        ("text", ctypes.c_char_p),
        ("probability", ctypes.c_double),
    ]


OnSegment = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Segment), ctypes.c_void_p)
OnProgress = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_double, ctypes.c_double, ctypes.c_void_p)


class Callbacks(ctypes.Structure):
    _fields_ = [
        ("on_segment", OnSegment),
        ("on_progress", OnProgress),
        ("context", ctypes.c_void_p),
    ]


class Failure(Exception):
    def __init__(self, status, sentence):
        super().__init__(sentence)
        self.status = STATUSES[status]


class Library:
    """The functions that return strings and handles, with a status turned into a Failure."""

    def __init__(self, path=None):
        self.c = ctypes.CDLL(path or os.environ["WHINCHAT_LIBRARY"])
        for name in ["version", "last_error", "transcription_text", "transcription_language"]:
            self[name].restype = ctypes.c_char_p
        self["transcription_warning"].restype = ctypes.c_char_p
        self["transcription_duration_s"].restype = ctypes.c_double
        for name in ["transcription_segment_count", "transcription_warning_count"]:
            self[name].restype = ctypes.c_size_t

    def __getitem__(self, name):
        return getattr(self.c, "whinchat_" + name)

    def call(self, name, *arguments):
        status = self[name](*arguments)
        if status != 0:
            raise Failure(status, self["last_error"]().decode())

    def options(self, **values):
        handle = ctypes.c_void_p()
        self.call("options_new", ctypes.byref(handle))
        for name, value in values.items():
            self.call("options_set", handle, name.encode(), str(value).encode())
        return handle

    def transcriber(self, **values):
        options = self.options(**values)
        handle = ctypes.c_void_p()
        self.call("transcriber_new", options, ctypes.byref(handle))
        self["options_free"](options)
        return handle

    def transcribe(self, transcriber, path, options=None, callbacks=None):
        handle = ctypes.c_void_p()
        given = ctypes.byref(callbacks) if callbacks else None
        path = os.fsencode(path)
        self.call("transcribe_file", transcriber, path, options, given, ctypes.byref(handle))
        return handle

    def segment(self, transcription, index):
        segment = Segment()
        index = ctypes.c_size_t(index)
        self.call("transcription_segment", transcription, index, ctypes.byref(segment))
        return segment

    def words(self, transcription):
        """Of all segments: (start, end, text, probability)."""
        words = []
        for i in range(self["transcription_segment_count"](transcription)):
            for j in range(self.segment(transcription, i).word_count):
                word = Word()
                place = (ctypes.c_size_t(i), ctypes.c_size_t(j), ctypes.byref(word))
                self.call("transcription_word", transcription, *place)
                words.append((word.start_s, word.end_s, word.text.decode(), word.probability))
        return words

    def text(self, transcription):
        return self["transcription_text"](transcription).decode()


def words_of(library, path, **values):
    """Loads, transcribes, frees: the text."""
    transcriber = library.transcriber(**values)
    transcription = library.transcribe(transcriber, path)
    text = library.text(transcription)
    library["transcription_free"](transcription)
    library["transcriber_free"](transcriber)
    return text
