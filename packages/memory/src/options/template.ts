/** The form that notes begin with where nobody gave another. */
export const DEFAULT_TEMPLATE = `# The person
- Name:
- Language:
- What they like and dislike:

# What they are working on
- Goals:
- Decisions so far:
- Open questions:`
