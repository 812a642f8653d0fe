import { createHash } from 'node:crypto'
import type { Answer } from '../operation.ts'

/** A strong entity tag. */
export function tagOf(content: string | Uint8Array): string {
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`
}

/** Whether `If-None-Match` names this version. */
export function isKnown({ headers }: Request, etag: string): boolean {
  const known = headers.get('if-none-match')?.split(',') ?? []
  // A proxy that compresses on the way turns the tag into a weak one.
  return known
    .map((tag) => tag.trim().replace(/^W\//, ''))
    .some((tag) => tag === etag || tag === '*')
}

/** 304 if the caller has this version, else the answer; both with the tag and `cacheControl`. */
export function unlessKnown(
  request: Request,
  etag: string,
  cacheControl: string,
  answer: () => Answer,
): Answer {
  const headers = { etag, 'cache-control': cacheControl }
  if (isKnown(request, etag)) return { status: 304, body: null, headers }
  const made = answer()
  return { ...made, headers: { ...made.headers, ...headers } }
}
