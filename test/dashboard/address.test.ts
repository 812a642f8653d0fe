import { expect, test } from 'bun:test'
import { atCursors, atPage, cursorsIn, filtered, pageIn } from '../../src/dashboard/address.ts'

const queryOf = (hash: string) => hash.split('?')[1] ?? ''

test('an address with cursors leads to the same page and filter, and back', () => {
  const first = '#/mandates?status=disputed'
  const second = atCursors(first, [...cursorsIn(queryOf(first)), 'bWFu'])
  const third = atCursors(second, [...cursorsIn(queryOf(second)), 'ZGF0+/=='])
  expect(cursorsIn(queryOf(third))).toEqual(['bWFu', 'ZGF0+/=='])
  expect(atCursors(third, ['bWFu'])).toBe(second)
  expect(atCursors(second, [])).toBe(first)
})

test('an address with a page number leads to the same page and filter, and back', () => {
  const first = '#/invoices?status=failed'
  const third = atPage(first, 3)
  expect([first, third].map((hash) => pageIn(queryOf(hash)))).toEqual([1, 3])
  expect(atPage(third, 1)).toBe(first)
  expect(atPage('#/invoices?page=2', 1)).toBe('#/invoices')
})

test('another filter starts at the first page; no filter leaves a plain address', () => {
  const unfiltered = filtered('#/mandates?cursor=bWFu&cursor=ZGF0&status=disputed', 'status', '')
  expect(unfiltered).toBe('#/mandates')
  expect(filtered('#/mandates?cursor=bWFu', 'status', 'expired')).toBe('#/mandates?status=expired')
  expect(filtered('#/invoices?page=9&search=ada', 'search', '')).toBe('#/invoices')
})
