import type { Answer } from './operation.ts'

/** A success in the `/api` families where the contract wraps it; `json` is the text of `data`. */
export function success(json: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status: 200, body: `{"success":true,"data":${json}}`, headers }
}
