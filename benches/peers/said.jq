# The eight assertions over responses, one JSON object a line: prints the ids of those that fail.
select(
  (
    .status == "success"
    and (.results | length) <= 5
    and has("results") and (.pagination | has("total")) and has("summary")
    and .pagination.offset == 0
    and all(.results[].file; test("^journal/"))
    and all(.results[].metadata.tags; index("work") != null and index("security") != null)
    and all(.results[].relevance; . >= 0 and . <= 1)
    and ([.results[].relevance] as $relevance | all(range(1; $relevance | length); $relevance[. - 1] >= $relevance[.]))
  ) | not
) | .id
