import { type TProperties, type TSchema, Type } from '@sinclair/typebox'
import type { Answer } from '../operation.ts'

/** How a family writes successes, as JSON text and as schemas. */
export type Envelope = {
  wrap(json: string): string
  /** `members` is JSON text without braces. */
  wrapMembers(members: string): string
  schema(data: TSchema): TSchema
  listSchema(members: TProperties): TSchema
}

/** The envelope of `/v1`, and of `/api` where the contract says so. */
export const enveloped: Envelope = {
  wrap,
  wrapMembers,
  schema: wrapped,
  listSchema: wrappedMembers,
}

/** No envelope. */
export const bare: Envelope = {
  wrap: (json) => json,
  wrapMembers: (members) => `{${members}}`,
  schema: (data) => data,
  listSchema: (members) => Type.Object(members),
}

export function wrap(json: string): string {
  return wrapMembers(`"data":${json}`)
}

export function wrapMembers(members: string): string {
  return `{"success":true,${members}}`
}

export function wrapped(data: TSchema) {
  return wrappedMembers({ data })
}

export function wrappedMembers(members: TProperties) {
  return Type.Object({ success: Type.Literal(true), ...members })
}

/** An answer that no cache keeps. */
export function uncached(value: object): Answer {
  return { status: 200, body: JSON.stringify(value), headers: { 'cache-control': 'no-store' } }
}

/** A success with `json` as the `data` of an envelope. */
export function ok(
  json: string,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { status, body: wrap(json), headers }
}
