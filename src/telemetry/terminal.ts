import type pino from 'pino'
import { prettyFactory } from 'pino-pretty'
import { standardOutput } from './log.ts'

/** C0 controls are escaped in JSON, the others are not; an escaped backslash is none of them. */
const steering = /\\\\|\\u00|[\u007f-\u009f]/g

/** Lines for people, instead of JSON. */
export function terminalOutput(): pino.DestinationStream {
  const output = standardOutput()
  const pretty = prettyFactory({ singleLine: true, translateTime: 'SYS:HH:MM:ss' })
  return { write: (line) => void output.write(pretty(line.replace(steering, shown)) ?? '') }
}

/** Text from elsewhere, such as a node's answer, must not steer the terminal. */
function shown(found: string): string {
  if (found === '\\\\') return found
  return found === '\\u00' ? '\\\\u00' : `\\\\u00${found.charCodeAt(0).toString(16)}`
}
