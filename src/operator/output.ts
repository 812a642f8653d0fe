import { Option } from 'commander'

/**
 * The option `--json`, which every command takes. Each gets a new object, since commander keeps the
 * one it is given.
 */
export function jsonOption(): Option {
  return new Option('--json', 'print one JSON document instead of text')
}

/** Prints a result: `document` with `--json`, else the lines, or `none` if there are none. */
export function print(
  options: { json?: boolean },
  document: unknown,
  lines: readonly string[],
): void {
  const text = lines.length > 0 ? lines.join('\n') : 'none'
  process.stdout.write(`${options.json ? JSON.stringify(document) : text}\n`)
}
