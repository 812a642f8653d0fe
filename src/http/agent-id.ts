import { invalidField } from '../domain/error.ts'
import { readable, textOf } from './header-text.ts'

const mostCharacters = 256

/** The agent that `X-Agent-Id` names; null where it is not sent. Errors: `invalid_request`. */
export function agentIdIn(header: string | null): string | null {
  if (header === null) return null
  const agentId = read(header)
  if (agentId === null || [...agentId].length > mostCharacters)
    throw invalidField('X-Agent-Id', `must be a text of 1 to ${mostCharacters} characters`)
  return agentId
}

/** Whether `X-Agent-Id` names this agent, sent just so: else what is paid for it would count against nobody's budget, or against another's. */
export function isNameable(agentId: string): boolean {
  return read(Buffer.from(agentId).toString('latin1')) === agentId
}

/** Errors: `invalid_request`. */
export function refuseNameless(): never {
  throw invalidField(
    'agentId',
    'must be what X-Agent-Id is read as: without percent-escapes, controls and marks of direction, and spaces around it',
  )
}

function read(header: string): string | null {
  return readable(textOf(header), Number.POSITIVE_INFINITY)
}
