/** A Q whose tail ticks it off. The icon in `http/pages/page.ts` is the same. */
export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M22.5 15a7.5 7.5 0 1 0-7.5 7.5M12 14.5l4.5 4.5 9 7" />
    </svg>
  )
}
