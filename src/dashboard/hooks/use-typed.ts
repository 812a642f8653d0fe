import { type RefObject, useEffect, useState } from 'react'

/** What the form around `place` holds, as it is typed, and anew with another `version`. */
export function useTyped(place: RefObject<HTMLElement | null>, version = ''): FormData {
  const [typed, setTyped] = useState(() => new FormData())
  // biome-ignore lint/correctness/useExhaustiveDependencies: fields come and go with the version
  useEffect(() => {
    const form = place.current?.closest('form')
    if (!form) return
    const read = () => setTyped(new FormData(form))
    read()
    form.addEventListener('input', read)
    return () => form.removeEventListener('input', read)
  }, [place, version])
  return typed
}
