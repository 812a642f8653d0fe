import { Option } from 'commander'

/** Every command takes it; a fresh one for each, as commander keeps what it is given. */
export function jsonOption(): Option {
  return new Option('--json', 'print one JSON document instead of text')
}

/** Prints what a command came to: the document with `--json`, else the lines, `none` where there are none. */
export function print(
  options: { json?: boolean },
  document: unknown,
  lines: readonly string[],
): void {
  const text = lines.length > 0 ? lines.join('\n') : 'none'
  process.stdout.write(`${options.json ? JSON.stringify(document) : text}\n`)
}
