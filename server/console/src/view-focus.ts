/** What belongs to one view: tabs of a run or of the approvals stay in it. */
export function viewOf(path: string): string {
  const [, , first = '', ...rest] = path.split('/')
  // A conversation that is begun gets an address of its own, and one goes on in it.
  const view = first === '' ? 'chat' : first
  return [view, ...(view === 'runs' ? rest.slice(0, 1) : view === 'compare' ? rest : [])].join('/')
}

let shown = viewOf(location.pathname)

/** Goes to the content where another view is shown, so that it is read out; within a view the focus stays where it is. */
export function focusView(): void {
  const before = shown
  shown = viewOf(location.pathname)
  if (shown !== before) document.getElementById('main')?.focus({ preventScroll: true })
}
