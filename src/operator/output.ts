import { unprintable } from '../domain/unprintable.ts'

/** Escapes control characters, since a name could otherwise steer the terminal. */
export function print(
  options: { json?: boolean },
  document: unknown,
  lines: readonly string[],
): void {
  const text = lines.length > 0 ? lines.map(escaped).join('\n') : 'none'
  process.stdout.write(`${options.json ? JSON.stringify(document) : text}\n`)
}

function escaped(line: string): string {
  return line.replace(unprintable, (run) => Array.from(run, codeOf).join(''))
}

function codeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
