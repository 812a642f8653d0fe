import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const executablePath = places.find((place) => existsSync(place))

/** Whether there is a browser to test in. Never missing in CI, where its absence is a failure. */
export const hasBrowser = executablePath !== undefined || process.env.CI === 'true'

if (!hasBrowser) console.warn('No Chromium in /usr/bin: the tests in a browser are skipped.')

export function startBrowser(): Promise<Browser> {
  if (!executablePath) throw new Error('there is no Chromium in /usr/bin')
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
}
