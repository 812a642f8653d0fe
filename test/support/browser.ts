import { type Browser, chromium } from 'playwright-core'

const executablePath = Bun.which('chromium') ?? Bun.which('google-chrome')

/**
 * Whether this machine has a Chromium on PATH. The suite that needs a browser is skipped without
 * it.
 */
export const hasBrowser = executablePath !== null

export function startBrowser(): Promise<Browser> {
  if (!executablePath) throw new Error('there is no Chromium on PATH')
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
}
