import { Presets, SingleBar } from 'cli-progress'

/** A progress bar on standard error, if that is a terminal; `update` takes the next number due. */
export function progressBar({ from, to, unit }: { from: number; to: number; unit: string }) {
  const format = `{bar} {percentage} %  {value} of {total} ${unit}, {eta_formatted} left`
  // Otherwise the terminal's wrapping is switched off, and left off where Ctrl-C ends the command.
  const options = { format, linewrap: true }
  const bar = process.stderr.isTTY ? new SingleBar(options, Presets.shades_classic) : null
  bar?.start(to - from + 1, 0)
  return {
    update(next: number) {
      // Without any progress, the time left is not a number.
      if (next > from) bar?.update(next - from)
    },
    stop: () => bar?.stop(),
  }
}
