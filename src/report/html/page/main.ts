// Entry of report.html: reads what the program put into the page. Draws nothing that is not in it.
export {};
