/** Whether something fits what the page is searched for. */
export interface Sought {
  sought: (...texts: string[]) => boolean
}

/** What stands where nothing of a card fits the search. */
export const NoneFits = ({ what }: { what: string }) => <p class="body soft small">No {what} fits the search.</p>
