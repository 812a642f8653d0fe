import { invalidField } from '../../domain/error.ts'
import { readable, textOf } from '../request/header-text.ts'

const mostCharacters = 256

/** The agent id in `X-Agent-Id`; null where the header is not sent. Errors: `invalid_request`. */
export function agentIdIn(header: string | null): string | null {
  if (header === null) return null
  const agentId = read(header)
  if (agentId === null || [...agentId].length > mostCharacters)
    throw invalidField('X-Agent-Id', `must be a text of 1 to ${mostCharacters} characters`)
  return agentId
}

/**
 * Whether `X-Agent-Id` can carry this id unchanged. Otherwise payments for the agent would count
 * against no budget, or against another agent's.
 */
export function isNameable(agentId: string): boolean {
  return read(Buffer.from(agentId).toString('latin1')) === agentId
}

/** Refuses an agent id that `X-Agent-Id` cannot carry unchanged. Errors: `invalid_request`. */
export function refuseNameless(): never {
  throw invalidField(
    'agentId',
    'must be a value that X-Agent-Id can carry: no percent-escapes, control characters, direction marks or surrounding spaces',
  )
}

function read(header: string): string | null {
  return readable(textOf(header), Number.POSITIVE_INFINITY)
}
