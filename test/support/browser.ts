import { afterAll, beforeAll, expect } from 'bun:test'
import AxeBuilder from '@axe-core/playwright'
import { type Browser, chromium, type Locator, type Page, type Route } from 'playwright-core'
import type { TestApp } from './app.ts'

const executablePath = Bun.which('chromium') ?? Bun.which('google-chrome')

/** Suites that need a browser are skipped without a Chromium on PATH. */
export const hasBrowser = executablePath !== null

export function startBrowser(): Promise<Browser> {
  if (!executablePath) throw new Error('there is no Chromium on PATH')
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
}

type Json = Readonly<Record<string, unknown>>

/** A page of a browser in California, and what it reports as broken or blocked. */
export function useBrowser() {
  const opened = { browser: null as unknown as Browser, page: null as unknown as Page }
  const problems: string[] = []
  beforeAll(async () => {
    opened.browser = await startBrowser()
    const context = await opened.browser.newContext({ timezoneId: 'America/Los_Angeles' })
    opened.page = await context.newPage()
    opened.page.on('pageerror', (error) => problems.push(error.message))
    opened.page.on('console', (line) => {
      if (/Content.Security/.test(line.text())) problems.push(line.text())
    })
  })
  afterAll(() => opened.browser?.close())
  return { opened, problems }
}

export async function logIn(page: Page, { url }: TestApp, key: string): Promise<void> {
  await page.goto(`${url}/dashboard`)
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Log in' }).click()
}

/**
 * The next request to these paths is processed, but its answer is lost; resolves to that answer.
 */
export async function loseAnswer(
  page: Page,
  paths: string,
): Promise<{ readonly answer: Promise<Json> }> {
  const { promise: answer, resolve } = Promise.withResolvers<Json>()
  const lose = async (route: Route) => {
    resolve(await (await route.fetch()).json())
    await route.abort()
  }
  await page.route(paths, lose, { times: 1 })
  return { answer }
}

/** After its safety delay, like a user who has read the question. */
export async function confirm(button: Locator) {
  await button.waitFor()
  await Bun.sleep(600)
  await button.click()
}

export async function axe(page: Page, rules: string[] = []) {
  const builder = new AxeBuilder({ page })
  const { violations } = await (rules.length > 0 ? builder.withRules(rules) : builder).analyze()
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
}

export function onPhone(page: Page) {
  return fits(page, 390)
}

/** Neither the page nor a table that folds may be scrolled horizontally. */
export async function fits(page: Page, width: number) {
  await page.setViewportSize({ width, height: 844 })
  const tooWide = await page.evaluate(
    `[...document.querySelectorAll('html, .folds')].filter((one) => one.scrollWidth > one.clientWidth)
      .map((one) => one.ariaLabel ?? 'page')`,
  )
  expect([page.url(), width, tooWide]).toEqual([page.url(), width, []])
  await page.setViewportSize({ width: 1280, height: 800 })
}

/** With SCREENSHOTS set to a folder, saves pictures of every page there. */
export async function pictures(name: string, page: Page) {
  const folder = process.env.SCREENSHOTS
  if (!folder) return
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const width of [1_280, 390]) {
      await page.setViewportSize({ width, height: 800 })
      const path = `${folder}/${name}-${colorScheme}-${width}.png`
      await page.screenshot({ path, fullPage: true })
    }
  }
  await page.setViewportSize({ width: 1_280, height: 800 })
}
