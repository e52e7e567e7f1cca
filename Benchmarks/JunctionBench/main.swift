import Junction
