import { useState } from 'react'
import { call } from '../api.ts'
import { makingOnce } from './making.ts'

/**
 * Returns a function that creates a resource at `path`, only once even if the form is sent again
 * because no answer arrived. What `complete` adds to the answer counts as part of it.
 */
export function useMaking<T>(
  path: string,
  complete: (made: T) => Promise<T> = async (made) => made,
): (wanted: object) => Promise<T> {
  const [make] = useState(() =>
    makingOnce<T>(async (wanted, key) => {
      const headers = { 'idempotency-key': key }
      return complete(await call('POST', path, wanted, { headers }))
    }),
  )
  return make
}
