import type { Answer } from './operation.ts'

/** What the `/api` families answer with where the contract wraps it; `json` is the text of `data`. */
export function success(json: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status: 200, body: `{"success":true,"data":${json}}`, headers }
}
