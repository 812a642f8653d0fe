import { readFileSync } from 'node:fs'

/**
 * The signals that ask this process to end. SIGHUP is none of them where it is ignored, as under
 * `nohup`: to listen to it would undo that, and the end of the terminal would end the process.
 */
export function stopSignals(): readonly NodeJS.Signals[] {
  return ignoresHangup() ? ['SIGTERM', 'SIGINT'] : ['SIGTERM', 'SIGINT', 'SIGHUP']
}

/** Only Linux tells. */
function ignoresHangup(): boolean {
  if (process.platform !== 'linux') return false
  const [, ignored = '0'] =
    /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  return (BigInt(`0x${ignored}`) & 1n) === 1n
}
