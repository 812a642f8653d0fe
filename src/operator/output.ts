import { Option } from 'commander'

/** Every command takes it; a fresh one for each, as commander keeps what it is given. */
export function jsonOption(): Option {
  return new Option('--json', 'print one JSON document instead of text')
}

/** Prints what a command came to: the document with `--json`, else the lines. */
export function print(
  options: { json?: boolean },
  document: unknown,
  lines: readonly string[],
): void {
  process.stdout.write(`${options.json ? JSON.stringify(document) : lines.join('\n')}\n`)
}
