/** A complete game on a small island: an example for readers without a file of their own. */
export const EXAMPLE = `[Game "nova"]
[Rules "players=2 edition=fr pioneers=5"]
[Board "two-bays"]
[Result "1-0"]

1. @d6 2. @d10 3. @c10 4. @d5 5. @e5 6. @b8 7. @e9 8. @h11 9. @g14 10. @g7
11. e9-a9 e5-d4 d6-h6 12. b8-b3 b3-c3 d5-h5 13. c10-c5 d4-d3 +d2 14. c3-c2 d10-b10 g7-a7
15. g14-g12 c5-c10 +f11 16. h11-h8 +g8 a7-a8 17. h6-a6 +b6 g12-h12 18. h5-c5 +c6 +d6
19. d3-b3 +c3 a6-a7 20. c2-d3 d3-d4 +d5 21. h12-h11 a7-h7 +g11 22. h8-i8 i8-i6 d4-c4
23. h7-g6 +h6 +g7 24. i6-h5 h5-g5 a8-b9 25. a9-a8 +a9 a8-a7 26. b9-h9 +g9 h9-i10
27. c10-h10 +g10 h10-h8 28. b10-b9 +c10 c4-d4 29. h8-i9 +i8 +h8 30. c5-b4 b9-b8 +c8
31. a7-a8 +b9 a8-a5 32. b4-c5 +b5 c5-b4 33. a5-a7 g6-e6 e6-f7 34. g5-f5 +f6 +e5
35. f7-d7 d7-d9 a7-a8 36. b8-b7 b7-d7 +c7 37. a8-b8 +c9
1-0
`;
