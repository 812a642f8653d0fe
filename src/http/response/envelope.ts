import { type TProperties, type TSchema, Type } from '@sinclair/typebox'
import type { Answer } from '../operation.ts'

/**
 * The envelope of successes: all of `/v1` has it, and `/api` where the contract says so. Answers
 * are written as JSON text, and described by schemas.
 */

/** Writes the envelope around `json`, which becomes its `data`. */
export function wrap(json: string): string {
  return wrapMembers(`"data":${json}`)
}

/** Writes the envelope around members, such as those of a list. */
export function wrapMembers(members: string): string {
  return `{"success":true,${members}}`
}

/** A success with `json` as its `data`. */
export function ok(
  json: string,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { status, body: wrap(json), headers }
}

/** The schema of `wrap`. */
export function wrapped(data: TSchema) {
  return wrappedMembers({ data })
}

/** The schema of `wrapMembers`. */
export function wrappedMembers(members: TProperties) {
  return Type.Object({ success: Type.Literal(true), ...members })
}
