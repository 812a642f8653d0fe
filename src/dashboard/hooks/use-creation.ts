import { useState } from 'react'
import { call } from '../api.ts'
import { createOnce } from '../create-once.ts'

/**
 * Returns a function that creates a resource at `path`, only once even if the form is sent again
 * because no answer arrived. What `complete` adds to the answer counts as part of it.
 */
export function useCreation<T>(
  path: string,
  complete: (created: T) => Promise<T> = async (created) => created,
): (wanted: object) => Promise<T> {
  const [create] = useState(() =>
    createOnce<T>(async (wanted, key) => {
      const headers = { 'idempotency-key': key }
      return complete(await call('POST', path, wanted, { headers }))
    }),
  )
  return create
}
