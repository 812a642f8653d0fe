import { useState } from 'react'
import { call } from '../api.ts'
import { createOnce } from '../create-once.ts'

/**
 * Creates a resource at `path` only once, even if the form is sent again after a lost answer.
 * `complete` is repeated with it.
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
