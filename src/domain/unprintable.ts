/** Runs of control characters and of those that change the direction of text. */
export const unprintable = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu

/** The pattern of a text of one line. */
export const oneLinePattern = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$'
