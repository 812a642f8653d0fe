import { ChainError } from '../chain/chain.ts'
import { ConfigError } from '../config/config.ts'
import { DomainError, OperatorError } from '../domain/error.ts'
import { EmbeddedError } from '../storage/postgres/embedded/error.ts'
import { databaseComplaint, withCode } from './database-complaint.ts'

const expected = [ConfigError, EmbeddedError, OperatorError, ChainError]

/** Text for the terminal: a sentence for an external fault, the whole error for a bug of ours. */
export function complaintAbout(error: unknown): string {
  if (error instanceof DomainError)
    return [error.message, error.operatorText].filter(Boolean).join('\n  ')
  if (expected.some((kind) => error instanceof kind)) return (error as Error).message
  const fault = error as NodeJS.ErrnoException
  const ofDatabase = databaseComplaint(fault)
  if (ofDatabase !== null) return ofDatabase
  const { code, syscall } = fault
  if (syscall === 'listen')
    return `HOST and PORT, or METRICS_PORT, cannot be listened at: ${withCode(fault)}`
  // For example a folder without write permission.
  const isSystemError = typeof code === 'string' && /^(E[A-Z]{3,}|EAI_[A-Z]+)$/.test(code)
  return isSystemError ? withCode(fault) : Bun.inspect(error)
}
