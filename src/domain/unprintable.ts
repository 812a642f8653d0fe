/** Runs of control characters, and of those that change the direction of the text around them. */
export const unprintable = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu
